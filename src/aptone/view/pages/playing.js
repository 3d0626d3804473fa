// Players: one at a time; a line moves over the drawings of a sound, and a click on one seeks.

function drawingsOf(player) {
  return [...(player.closest(".clip")?.querySelectorAll("svg.timeline") ?? [])];
}

function moveHeads(player) {
  const part = player.duration ? player.currentTime / player.duration : 0;
  for (const drawing of drawingsOf(player)) {
    const head = drawing.querySelector(".head");
    const [left, right] = [Number(drawing.dataset.left), Number(drawing.dataset.right)];
    const x = String(left + part * (right - left));
    head?.setAttribute("x1", x);
    head?.setAttribute("x2", x);
  }
}

function follow(player) {
  moveHeads(player);
  if (!player.paused) requestAnimationFrame(() => follow(player));
}

function seek(drawing, event) {
  const player = drawing.closest(".clip")?.querySelector("audio");
  const box = drawing.getBoundingClientRect();
  if (!player?.duration || !box.width) return;
  const [left, right] = [Number(drawing.dataset.left), Number(drawing.dataset.right)];
  const x = (drawing.viewBox.baseVal.width * (event.clientX - box.left)) / box.width;
  player.currentTime = player.duration * Math.min(1, Math.max(0, (x - left) / (right - left)));
  moveHeads(player);
}

/** Starts a player from its beginning, or stops it. */
export function toggle(player) {
  if (!player) return;
  if (!player.paused) return player.pause();
  if (player.ended) player.currentTime = 0;
  player.play().catch(() => {}); // an error is said where the player stands
}

/** Looks after all players of the page, also of parts that come later. */
export function watchPlayers() {
  document.addEventListener(
    "play",
    (event) => {
      for (const other of document.querySelectorAll("audio")) if (other !== event.target) other.pause();
      follow(event.target);
    },
    true,
  );
  document.addEventListener("timeupdate", (event) => moveHeads(event.target), true);
  document.addEventListener("click", (event) => {
    const drawing = event.target.closest?.("svg.timeline");
    if (drawing) seek(drawing, event);
  });
}
