// Filters, searches, sorts, opens, and remembers the theme. It reads the page and hides parts of it; it never makes markup.
(() => {
  "use strict";
  const root = document.documentElement;
  root.classList.add("js");

  const kept = {
    get() { try { return localStorage.getItem("unitai-theme"); } catch { return null; } },
    set(theme) { try { localStorage.setItem("unitai-theme", theme); } catch { /* not allowed here: it holds for this page */ } },
  };
  const wear = (theme) => { if (theme === "light" || theme === "dark") root.dataset.theme = theme; };
  wear(kept.get());
  const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const switchTheme = () => { const theme = isDark() ? "light" : "dark"; wear(theme); kept.set(theme); };

  document.addEventListener("DOMContentLoaded", () => {
    const one = (query) => document.querySelector(query);
    const list = one(".tests");
    const tests = [...document.querySelectorAll(".test")];
    const search = one("#search");
    const filters = [...document.querySelectorAll(".filter")];
    const sorts = [...document.querySelectorAll(".sort")];
    const shown = one("#shown");
    const none = one(".none");
    const openAll = one("#all");
    const details = (test) => test.firstElementChild;
    const visible = () => [...list.children].filter((test) => !test.hidden);

    // Read once, and only when somebody searches.
    const texts = new Map();
    const textOf = (test) => {
      if (!texts.has(test)) texts.set(test, test.textContent.toLowerCase());
      return texts.get(test);
    };

    const apply = () => {
      const wanted = new Set(filters.filter((f) => f.getAttribute("aria-pressed") === "true").map((f) => f.dataset.outcome));
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      let count = 0;
      for (const test of tests) {
        const fits = (!wanted.size || wanted.has(test.dataset.outcome)) && words.every((word) => textOf(test).includes(word));
        test.hidden = !fits;
        count += fits;
      }
      shown.textContent = count === tests.length ? "" : `${count} of ${tests.length}`;
      none.hidden = count > 0 || !tests.length;
      tellAll();
    };
    const clear = () => {
      search.value = "";
      filters.forEach((f) => f.setAttribute("aria-pressed", "false"));
      apply();
    };
    const tellAll = () => { openAll.textContent = visible().some((test) => details(test).open) ? "Close all" : "Open all"; };

    let waiting;
    search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(apply, 80); });
    one("#clear").addEventListener("click", clear);
    one("#theme").addEventListener("click", switchTheme);
    filters.forEach((filter) => filter.addEventListener("click", () => {
      filter.setAttribute("aria-pressed", String(filter.getAttribute("aria-pressed") !== "true"));
      apply();
    }));
    openAll.addEventListener("click", () => {
      const now = visible();
      const open = !now.some((test) => details(test).open);
      now.forEach((test) => { details(test).open = open; });
      tellAll();
    });
    list.addEventListener("toggle", tellAll, true);
    list.addEventListener("click", (event) => {
      const button = event.target.closest(".open-steps");
      if (!button) return;
      event.preventDefault();
      const steps = [...button.closest(".run").querySelectorAll(".step > details")];
      const open = steps.some((step) => !step.open);
      steps.forEach((step) => { step.open = open; });
      button.textContent = open ? "Close all steps" : "Open all steps";
    });

    // What did not pass first, unless a column was asked for; a third click brings that back.
    const keys = {
      name: (test) => test.querySelector(".name").textContent,
      rate: (test) => Number(test.dataset.rate),
      cost: (test) => -Number(test.dataset.cost),
      time: (test) => -Number(test.dataset.time),
    };
    sorts.forEach((sort) => sort.addEventListener("click", () => {
      const before = sort.dataset.order || "";
      sorts.forEach((other) => { delete other.dataset.order; other.removeAttribute("aria-pressed"); });
      const order = { "": "first", first: "last", last: "" }[before];
      let sorted = tests;
      if (order) {
        sort.dataset.order = order;
        sort.setAttribute("aria-pressed", "true");
        const key = keys[sort.dataset.key];
        const sign = order === "first" ? 1 : -1;
        const keyed = tests.map((test, n) => [key(test), n, test]);
        keyed.sort((a, b) => (a[0] < b[0] ? -sign : a[0] > b[0] ? sign : a[1] - b[1]));
        sorted = keyed.map((entry) => entry[2]);
      }
      list.append(...sorted);
    }));

    // A link leads into what may be closed.
    const reveal = () => {
      const target = /^#t\d+(r\d+(s\d+)?)?$/.test(location.hash) && document.getElementById(location.hash.slice(1));
      if (!target) return;
      for (let at = target; at; at = at.parentElement) {
        if (at.tagName === "DETAILS") at.open = true;
        if (at.classList.contains("test")) at.hidden = false;
      }
      const step = target.querySelector(":scope > details");
      if (step) step.open = true;
      target.scrollIntoView({ block: "center" });
    };
    addEventListener("hashchange", reveal);
    reveal();

    const move = (by) => {
      const heads = visible().map((test) => details(test).firstElementChild);
      if (!heads.length) return;
      const test = document.activeElement.closest(".test");
      const now = test ? heads.indexOf(details(test).firstElementChild) : -1;
      const next = now < 0 ? (by > 0 ? 0 : heads.length - 1) : Math.min(Math.max(now + by, 0), heads.length - 1);
      heads[next].focus();
      heads[next].scrollIntoView({ block: "nearest" });
    };
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const isTyping = document.activeElement === search;
      if (event.key === "Escape") { clear(); search.blur(); return; }
      if (isTyping) {
        if (event.key === "Enter" || event.key === "ArrowDown") { clearTimeout(waiting); apply(); move(1); event.preventDefault(); }
        return;
      }
      const onTest = document.activeElement.closest(".test");
      if (event.key === "/") { search.focus(); search.select(); event.preventDefault(); }
      else if (event.key === "j" || (onTest && event.key === "ArrowDown")) { move(1); event.preventDefault(); }
      else if (event.key === "k" || (onTest && event.key === "ArrowUp")) { move(-1); event.preventDefault(); }
      else if (event.key === "t") switchTheme();
    });
    apply();
  });
})();
