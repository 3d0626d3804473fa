// Text whose contrast with its ground is below 4.5 (WCAG 2.2, 1.4.3): relative luminance from sRGB, (L1 + 0.05) / (L2 + 0.05).
() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const parts = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const linear = (value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  const ground = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = parts(getComputedStyle(one).backgroundColor);
      if (colour[3] > 250) return colour;
    }
    return [255, 255, 255];
  };
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  const isSeen = (element) =>
    element.checkVisibility({ opacityProperty: true }) && !element.closest("noscript, .unseen, .skip") && !element.disabled;
  return [...document.querySelectorAll("body *")]
    .filter((element) => hasText(element) && isSeen(element))
    .map((element) => {
      const both = [luminance(parts(getComputedStyle(element).color)), luminance(ground(element))];
      return { element, contrast: (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05) };
    })
    .filter(({ contrast }) => contrast < 4.5)
    .map(({ element, contrast }) => `${element.className || element.tagName} ${contrast.toFixed(2)} ${element.textContent}`);
}
