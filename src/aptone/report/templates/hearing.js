document.addEventListener("DOMContentLoaded", () => { document.documentElement.dataset.script = "ready"; });
