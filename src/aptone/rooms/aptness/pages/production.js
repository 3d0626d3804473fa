// Filters by chapter and character over the cards of a page; what an anchor points at is shown again.
document.addEventListener("DOMContentLoaded", () => {
  const chapter = document.getElementById("chapter");
  const character = document.getElementById("character");
  const output = document.getElementById("shown");
  if (!chapter || !character) return;
  const cards = [...document.querySelectorAll("[data-chapter][data-character]")];
  const filter = () => {
    let count = 0;
    for (const card of cards) {
      card.hidden = (chapter.value !== "" && card.dataset.chapter !== chapter.value)
        || (character.value !== "" && card.dataset.character !== character.value);
      if (!card.hidden) count += 1;
    }
    if (output) output.textContent = output.dataset.text.replace("{count}", count).replace("{total}", cards.length);
  };
  chapter.addEventListener("change", filter);
  character.addEventListener("change", filter);
  window.addEventListener("hashchange", () => {
    const card = document.getElementById(location.hash.slice(1));
    if (!card || !card.hidden) return;
    chapter.value = character.value = "";
    filter();
    card.scrollIntoView();
  });
  filter();
});
