// Cells of tables whose text breaks into a letter or two a line: three lines or more, and narrower than three letters.
() => {
  const lineOf = (one) => Number.parseFloat(getComputedStyle(one).fontSize) * 1.5;
  return [...document.querySelectorAll("td, th")]
    .filter((one) => one.checkVisibility() && one.textContent.trim().length > 3)
    .map((one) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      return { one, box: range.getBoundingClientRect() };
    })
    .filter(({ one, box }) => box.height > 2.5 * lineOf(one) && box.width < 2 * lineOf(one))
    .map(({ one, box }) => `${one.textContent.trim()} ${box.width}x${box.height}`);
}
