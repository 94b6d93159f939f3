"use strict";
// A click on a passage highlights it and its partner, and scrolls the other text to the partner without moving the page.
(() => {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const clear = () => document.querySelectorAll(".mark.on").forEach((mark) => mark.classList.remove("on"));
  const light = (passage) => {
    const same = document.querySelectorAll(`[data-passage="${CSS.escape(passage)}"]`);
    same.forEach((mark) => mark.classList.add("on"));
  };
  document.addEventListener("click", (event) => {
    const mark = event.target.closest("a.mark[href]");
    if (!mark) return;
    const partner = document.getElementById(mark.getAttribute("href").slice(1));
    if (!partner) return;
    event.preventDefault();
    clear();
    light(mark.dataset.passage);
    light(partner.dataset.passage);
    const box = partner.closest(".body");
    const top = partner.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;
    box.scrollTo({ top: top - box.clientHeight / 4, behavior: still ? "auto" : "smooth" });
    const frame = box.getBoundingClientRect();
    if (frame.bottom < 80 || frame.top > innerHeight - 80) box.scrollIntoView({ block: "center" });
    partner.focus({ preventScroll: true });
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") clear();
  });
})();
