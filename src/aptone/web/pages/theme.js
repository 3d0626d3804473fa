// Sets the chosen theme before anything is drawn. A classic script in <head>, so that a dark page never flashes white.
(() => {
  let theme = "";
  try {
    theme = localStorage.getItem("aptone.theme") ?? "";
  } catch {
    // Storage is switched off: the system's preference holds.
  }
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
})();
