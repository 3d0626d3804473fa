// What a finger would miss: less than 44 pixels high or wide (half a pixel is forgiven).
() => {
  const touched = "button, a, label.choice, label.scale-button, select, summary, input:not(.unseen), textarea";
  return [...document.querySelectorAll(touched)]
    .filter((one) => one.checkVisibility() && !one.classList.contains("skip"))
    .map((one) => ({ text: one.outerHTML.slice(0, 80), box: one.getBoundingClientRect() }))
    .filter(({ box }) => box.height < 43.5 || box.width < 43.5)
    .map(({ text, box }) => `${text} ${box.width}x${box.height}`);
}
