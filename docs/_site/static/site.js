// What scrolls by itself can be reached with the keyboard.
document.addEventListener("DOMContentLoaded", () => {
  for (const box of document.querySelectorAll(".bd-article table, .bd-article pre")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
});
