"use strict";
// Problems are counted where a test, or a curious reader, can see them.
(() => {
  const root = document.documentElement;
  root.dataset.problems = "0";
  const count = (event) => {
    root.dataset.problems = String(Number(root.dataset.problems) + 1);
    root.dataset.lastProblem = event.violatedDirective || event.message || "unknown";
  };
  window.addEventListener("error", count);
  window.addEventListener("unhandledrejection", count);
  document.addEventListener("securitypolicyviolation", count);
})();
