// Players: one at a time; a line moves over every drawing of the same sound, and a click on one seeks.
document.addEventListener("DOMContentLoaded", () => {
  const players = [...document.querySelectorAll("audio")];
  for (const player of players) {
    const ready = () => { player.dataset.ready = player.duration.toFixed(3); };
    if (player.readyState >= 1) ready(); else player.addEventListener("loadedmetadata", ready);
    player.addEventListener("error", () => { player.dataset.error = player.error ? player.error.message : "unknown"; });
    player.addEventListener("play", () => {
      for (const other of players) if (other !== player) other.pause();
    });
    const drawings = [...player.parentElement.querySelectorAll("svg.timeline")].map((drawing) => ({
      drawing, head: drawing.querySelector(".head"), left: Number(drawing.dataset.left),
      right: Number(drawing.dataset.right),
    }));
    if (!drawings.length) continue;
    const move = () => {
      const part = player.duration ? player.currentTime / player.duration : 0;
      for (const { head, left, right } of drawings) {
        const x = String(left + part * (right - left));
        head.setAttribute("x1", x);
        head.setAttribute("x2", x);
      }
    };
    let frame = 0;
    const follow = () => {
      move();
      frame = player.paused ? 0 : requestAnimationFrame(follow);
    };
    player.addEventListener("play", () => { if (!frame) follow(); });
    player.addEventListener("timeupdate", move);
    for (const { drawing, left, right } of drawings) {
      drawing.addEventListener("click", (event) => {
        const box = drawing.getBoundingClientRect();
        if (!player.duration || !box.width) return;
        const x = drawing.viewBox.baseVal.width * (event.clientX - box.left) / box.width;
        player.currentTime = player.duration * Math.min(1, Math.max(0, (x - left) / (right - left)));
        move();
      });
    }
  }
});
