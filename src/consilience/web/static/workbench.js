// Drop, keys, refresh. Everything here is also a link or a form that works without it.

// Copy buttons
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const pre = button.parentElement.querySelector("pre");
    try {
      await navigator.clipboard.writeText(pre.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(pre);
      button.textContent = "Selected";
    }
  });
}

// A choice that is made at once
for (const field of document.querySelectorAll("[data-submit]")) {
  field.addEventListener("change", () => field.form.requestSubmit());
}

// Drop a file
const drop = document.getElementById("drop");
if (drop) {
  const over = (on) => (event) => { event.preventDefault(); drop.classList.toggle("over", on); };
  addEventListener("dragover", over(true));
  addEventListener("dragleave", over(false));
  addEventListener("drop", (event) => {
    over(false)(event);
    const field = drop.querySelector("input[type=file]");
    if (event.dataTransfer?.files.length) {
      field.files = event.dataTransfer.files;
      drop.requestSubmit();
    }
  });
  drop.querySelector("input[type=file]").addEventListener("change", () => drop.requestSubmit());
}

// Order of labels by drag
for (const list of document.querySelectorAll("ol.labels.ordered")) {
  let dragged = null;
  const before = [...list.children];
  list.addEventListener("dragstart", (event) => { dragged = event.target.closest("li"); });
  list.addEventListener("dragover", (event) => {
    event.preventDefault();
    const other = event.target.closest("li");
    if (!dragged || !other || other === dragged) return;
    const box = other.getBoundingClientRect();
    list.insertBefore(dragged, event.clientY < box.top + box.height / 2 ? other : other.nextSibling);
  });
  list.addEventListener("dragend", () => {
    const order = [...list.children].map((one) => before.indexOf(one));
    if (!dragged || order.every((one, k) => one === k)) return;
    const field = document.createElement("input");
    field.type = "hidden"; field.name = "order"; field.value = order.join(",");
    const form = list.closest("form");
    form.append(field);
    form.submit();
  });
}

// Keys: each button says its own; none while somebody types
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const typing = event.target.closest?.("input:not([type=range]), textarea, select");
  if (typing) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const focus = document.querySelector(`[data-focus="${CSS.escape(event.key)}"]`);
  const button = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (focus) { event.preventDefault(); focus.focus(); }
  else if (button && !button.disabled) { event.preventDefault(); button.click(); }
});

// Is the server there?
const gone = document.getElementById("gone");
const alive = async () => {
  try {
    const answer = await fetch("/alive", { cache: "no-store" });
    gone.hidden = answer.ok;
    return answer.ok;
  } catch {
    gone.hidden = false;
    return false;
  }
};
setInterval(() => { if (!document.hidden) alive(); }, 3000);

// A decision is sent only when somebody is there to take it, and only once
for (const form of document.querySelectorAll("form[data-alive]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (form.dataset.sent) return;
    form.dataset.sent = "1";
    if (!(await alive())) { delete form.dataset.sent; return; }
    if (event.submitter?.name) {
      const field = document.createElement("input");
      field.type = "hidden"; field.name = event.submitter.name; field.value = event.submitter.value;
      form.append(field);
    }
    form.submit();
  });
}
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-alive]")) delete form.dataset.sent;
});

// New ratings in a file that is watched
const news = document.querySelector("[data-news]");
if (news) {
  const look = async () => {
    try {
      const found = await (await fetch(news.dataset.news, { cache: "no-store" })).json();
      if (found.text) {
        news.querySelector(".what").textContent = found.text;
        news.hidden = false;
      }
    } catch { /* the other banner says it */ }
  };
  setInterval(look, 1000);
  look();
}

// Units: the film stays on the disk; a bar is a place in it
for (const one of document.querySelectorAll(".scripted")) one.hidden = false;
for (const range of document.querySelectorAll("[data-shown]")) {
  range.addEventListener("input", () => {
    document.getElementById(range.dataset.shown).textContent = range.value;
  });
}
const film = document.getElementById("film");
if (film) {
  const player = document.getElementById("player");
  const video = player.querySelector("video");
  film.addEventListener("change", () => {
    if (video.src) URL.revokeObjectURL(video.src);
    if (film.files.length) { video.src = URL.createObjectURL(film.files[0]); player.hidden = false; }
  });
  const bars = [...document.querySelectorAll(".lanes .bar")];
  const jump = (bar) => {
    for (const other of bars) other.classList.toggle("now", other === bar);
    bar.scrollIntoView({ block: "nearest", inline: "center" });
    bar.focus();
    if (video.src) video.currentTime = Number(bar.dataset.seek);
  };
  for (const bar of bars) bar.addEventListener("click", (event) => { event.preventDefault(); jump(bar); });
  const apart = bars.filter((bar) => !bar.classList.contains("agreed"))
    .sort((a, b) => Number(a.dataset.seek) - Number(b.dataset.seek));
  addEventListener("keydown", (event) => {
    if (!["j", "k"].includes(event.key) || !apart.length || event.target.closest?.("input, select")) return;
    const here = apart.findIndex((bar) => bar.classList.contains("now"));
    const step = event.key === "j" ? 1 : -1;
    jump(apart[(here + step + apart.length) % apart.length]);
  });
}
