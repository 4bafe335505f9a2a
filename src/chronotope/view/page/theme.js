"use strict";
// Light or dark, set before anything is drawn: the user's earlier choice, else the system's setting.
(() => {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => { try { return localStorage.getItem("chronotope-theme"); } catch { return null; } };
  const apply = () => { document.documentElement.dataset.theme = chosen() ?? (dark.matches ? "dark" : "light"); };
  apply();
  dark.addEventListener("change", apply);
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const isDark = () => document.documentElement.dataset.theme === "dark";
    const say = () => { button.textContent = isDark() ? "Light" : "Dark"; button.title = `show this page in ${isDark() ? "light" : "dark"} colours`; };
    button.hidden = false;
    button.addEventListener("click", () => {
      const theme = isDark() ? "light" : "dark";
      try { localStorage.setItem("chronotope-theme", theme); } catch { /* kept only for this visit */ }
      document.documentElement.dataset.theme = theme;
      say();
    });
    dark.addEventListener("change", say);
    say();
  });
})();
