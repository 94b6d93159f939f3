"use strict";
// Whatever comes from the service or from a person is put into the page as text, never as markup.
(() => {
  const $ = (id) => document.getElementById(id);
  const fill = (node, ...children) => (node.replaceChildren(...children.flat().filter((child) => child != null)), node);
  const make = (tag, properties = {}, ...children) => fill(Object.assign(document.createElement(tag), properties), ...children);
  const svg = (tag, attributes = {}, ...children) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    return fill(node, ...children);
  };
  const count = (number) => Math.round(number).toLocaleString("en");
  const percent = (share) => (share > 0.9999 && share < 1 ? "over 99.99 %" : share > 0 && share < 0.0001 ? "under 0.01 %"
    : `${(100 * share).toFixed(share === 1 || share === 0 ? 0 : share > 0.9995 || share < 0.0995 ? 2 : 1)} %`);
  const bytes = (number) => {
    const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];
    const at = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(number, 1)) / 10)));
    return `${(number / 1024 ** at).toFixed(at ? 1 : 0)} ${units[at]}`;
  };
  const facts = (pairs) => pairs.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, String(value))));

  // Requests. The token is kept here and nowhere else.
  let token = "";
  const call = async (method, path, body) => {
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    if (body) headers["Content-Type"] = "application/json";
    const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
    const type = response.headers.get("Content-Type") ?? "";
    const answer = type.includes("json") ? await response.json() : await response.text();
    if (response.ok) return answer;
    if (response.status === 401) {
      $("token-form").hidden = false;
      $("token").focus();
      if (!token) throw new Error("");
    }
    throw new Error(answer.detail ? answer.detail + (answer.next ? `: ${answer.next}` : "") : `status ${response.status}`);
  };
  const say = (text, isWrong = false) => {
    $("message").hidden = !text;
    $("message").className = isWrong ? "wrong" : "";
    $("message").textContent = text;
  };
  // Runs what a person asked for, and shows what went wrong.
  const attempt = (work) => async (event) => {
    event?.preventDefault?.();
    say("");
    try { await work(event); } catch (error) { say(error.message, true); }
  };

  // Collections.
  let known = [];
  const name = () => $("collection").value;
  const chosen = () => known.find((collection) => collection.name === name());
  const base = (of = name()) => `/v1/collections/${encodeURIComponent(of)}`;
  const needed = () => { if (!name()) throw new Error("there is no collection yet: create one under “Collections”"); };
  const showChosen = () => {
    const one = chosen();
    $("collection-facts").textContent = one
      ? `${count(one.documents)} documents · threshold ${one.config.threshold} · ${one.plan}${one.read_only ? " · read only" : ""}` : "none yet";
  };
  const loadCollections = async (select) => {
    known = (await call("GET", "/v1/collections")).collections;
    const before = select ?? name();
    fill($("collection"), known.map((one) => make("option", { value: one.name }, one.name)));
    if (known.some((one) => one.name === before)) $("collection").value = before;
    showChosen();
    fill($("collection-list"), known.map(card));
  };
  const card = (one) => {
    const { normalize, ttl_seconds, bands, distance, max_text, ...config } = one.config;
    const remove = sure("Delete with all documents", async () => {
      await call("DELETE", base(one.name));
      say(`The collection ${one.name} is deleted.`);
      await loadCollections();
    });
    return make("div", { className: "card" }, make("h3", {}, one.name), make("dl", { className: "facts" }, facts([
      ["documents", count(one.documents)], ["plan", one.plan], ["found at the threshold", percent(one.found_probability)],
      ...Object.entries(config), ["normalised", Object.entries(normalize).map(([what, how]) => `${what} ${how}`).join(", ")],
      ["kept for", ttl_seconds ? `${ttl_seconds / 86400} days` : "ever"], ["longest text", bytes(max_text)],
    ])), remove);
  };
  // A button that must be pressed twice.
  const sure = (text, work) => {
    const button = make("button", { type: "button", className: "small" }, text);
    let timer;
    button.addEventListener("click", attempt(async () => {
      if (button.classList.toggle("danger")) {
        button.textContent = "Really?";
        timer = setTimeout(() => { button.classList.remove("danger"); button.textContent = text; }, 4000);
        return;
      }
      clearTimeout(timer);
      await work();
    }));
    return button;
  };
  const create = async () => {
    const of = $("create-name").value, days = Number($("create-days").value);
    const settings = { threshold: Number($("create-threshold").value), store: $("create-store").value, shingles: $("create-shingles").value };
    if (days) settings.ttl_seconds = days * 86400;
    await call("PUT", base(of), settings);
    $("create-name").value = "";
    await loadCollections(of);
    say(`The collection ${of} is there.`);
  };

  // Ask.
  const look = async () => {
    needed();
    const question = { text: $("text").value, top: 10 };
    if ($("threshold").value !== "") question.threshold = Number($("threshold").value);
    const answer = await call("POST", `${base()}/query`, question);
    showMatches(answer, question.text);
  };
  const showMatches = (answer, text) => {
    const { matches, found_probability, truncated } = answer;
    const found = matches.length === 0 ? "Nothing looks like it." : matches.length === 1 ? "One document looks like it." : `${matches.length} documents look like it.`;
    const chance = `A document at the threshold is found with a chance of ${percent(found_probability)}.`;
    fill($("result"), make("p", { className: "answer" }, found), make("p", { className: "muted" }, chance + (truncated ? " There were too many candidates; only the oldest were looked at." : "")),
      make("div", { className: "matches" }, matches.map((match, at) => matchLine(match, text, at))));
    $("result").querySelector("details")?.setAttribute("open", "");
  };
  const matchLine = (match, text, at) => {
    const similarity = match.exact ? match.similarity.toFixed(3) : `≈ ${match.similarity.toFixed(2)} ± ${(match.standard_error ?? 0).toFixed(2)}`;
    const details = make("details", { className: "example" }, make("summary", {}, make("span", { className: "name" }, match.id),
      make("span", { className: "badge" }, similarity), make("span", { className: "badge" }, match.exact ? "exact" : "estimated"),
      make("span", { className: "muted" }, when(match.added))));
    const body = make("div");
    details.append(body);
    details.addEventListener("toggle", async () => {
      if (!details.open || body.hasChildNodes()) return;
      try {
        if (chosen()?.config.store !== "text") throw new Error("This collection does not store texts, so shared passages cannot be shown.");
        const compared = await call("POST", `${base()}/compare`, { id: match.id, other_text: text, segments: true });
        fill(body, sideBySide(compared, match.id, at));
      } catch (error) { fill(body, make("p", { className: "muted" }, error.message)); }
    });
    return details;
  };
  const sideBySide = (compared, id, at) => {
    const column = (title, share, pieces) => make("section", { className: "text" }, make("header", {}, make("strong", {}, title),
      make("span", { className: "muted" }, ` ${percent(share)} of it is shared`)),
    make("div", { className: "body", tabIndex: 0 }, pieces.map((piece) => {
      if (piece.passage == null) return document.createTextNode(piece.text);
      const color = `p${piece.passage % 6}`;
      if (!piece.shared) return make("span", { className: `gap ${color}` }, piece.text);
      const place = piece.place === "in-order" ? "" : piece.place === "moved" ? " moved" : " repeated";
      const mark = make("a", { className: `mark ${color}${place}`, href: "#ask", title: `passage ${piece.passage + 1}, ${piece.place}` }, piece.text);
      mark.dataset.passage = `${at}-${piece.passage}`;
      return mark;
    })));
    return make("div", { className: "pair" }, column(id, compared.containment, compared.segments),
      column("your text", compared.other_containment, compared.other_segments));
  };
  // A click on a passage shows its partner in the other text.
  document.addEventListener("click", (event) => {
    const mark = event.target.closest?.("a.mark[data-passage]");
    if (!mark) return;
    event.preventDefault();
    document.querySelectorAll(".mark.on").forEach((other) => other.classList.remove("on"));
    const all = [...document.querySelectorAll("a.mark[data-passage]")].filter((other) => other.dataset.passage === mark.dataset.passage);
    all.forEach((other) => other.classList.add("on"));
    const partner = all.find((other) => other.closest(".body") !== mark.closest(".body"));
    const box = partner?.closest(".body");
    if (box) box.scrollTop += partner.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 4;
  });
  const add = async (onMatch = "skip") => {
    needed();
    const document = { id: $("new-id").value, text: $("text").value, add: true, on_match: onMatch };
    const answer = await call("POST", `${base()}/check`, document);
    if (answer.number == null) {
      say("");
      fill($("result"), make("p", { className: "answer" }, `Not added: it looks like ${answer.match.id}.`),
        make("div", { className: "matches" }, matchLine(answer.match, document.text, 0)), button("Add all the same", () => add("add")));
      $("result").querySelector("details").open = true;
    } else {
      fill($("result"));
      say(`Added as ${document.id}.`);
      $("new-id").value = "";
      await loadCollections();
    }
  };
  const button = (text, work, className = "") => {
    const made = make("button", { type: "button", className }, text);
    made.addEventListener("click", attempt(work));
    return made;
  };
  const takeFile = async (file) => {
    if (!file) return;
    if (file.size > 16 << 20) throw new Error("this file is larger than 16 MiB");
    $("text").value = await file.text();
    if (!$("new-id").value) $("new-id").value = file.name;
    await look();
  };

  // Browse.
  const when = (time) => (time ? new Date(time).toLocaleString() : "");
  const address = (id) => `${base()}/documents/${encodeURIComponent(id)}`;
  let after = 0;
  const list = async (from) => {
    needed();
    const page = await call("GET", `${base()}/documents?limit=50&after_number=${from}`);
    if (from === 0) showTable([]);
    page.documents.forEach((document) => $("documents").querySelector("tbody").append(...rows(document)));
    if (from === 0 && page.documents.length === 0) fill($("documents"), make("p", { className: "muted" }, "There are no documents yet."));
    $("more").hidden = page.next_number == null;
    after = page.next_number ?? 0;
  };
  const showTable = (documents) => {
    const head = ["id", "shingles", "added", "expires", "metadata", ""].map((title) => make("th", {}, title));
    fill($("documents"), make("div", { className: "scroll" }, make("table", { className: "documents" }, make("thead", {}, make("tr", {}, head)), make("tbody", {}, documents.flatMap(rows)))));
    $("more").hidden = true;
  };
  const rows = (document) => {
    const below = make("tr", { hidden: true }, make("td", { colSpan: 6 }));
    const cells = [document.id, count(document.shingles), when(document.added), when(document.expires), document.metadata ? JSON.stringify(document.metadata) : ""];
    const show = button("Text", async () => {
      below.hidden = !below.hidden;
      if (below.hidden) return;
      const whole = await call("GET", address(document.id));
      fill(below.firstChild, make("div", { className: "whole", tabIndex: 0 }, whole.text ?? "This collection does not store texts."));
    }, "small");
    const alike = button("Alike", async () => {
      const answer = await call("POST", `${base()}/query`, { id: document.id });
      const whole = await call("GET", address(document.id));
      location.hash = "#ask";
      $("text").value = whole.text ?? "";
      showMatches(answer, $("text").value);
    }, "small");
    const row = make("tr", {}, cells.map((cell) => make("td", {}, cell)));
    const remove = sure("Remove", async () => {
      await call("POST", `${base()}/remove`, { ids: [document.id] });
      row.remove();
      below.remove();
      say(`${document.id} is removed.`);
      await loadCollections();
    });
    row.append(make("td", {}, show, alike, remove));
    return [row, below];
  };
  const find = async () => { needed(); showTable([await call("GET", address($("browse-id").value))]); };

  // Numbers.
  const history = {};
  let last, timer;
  const parse = (text) => [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, metric, labels, value]) => ({
    metric, value: Number(value), labels: Object.fromEntries([...(labels ?? "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, of]) => [key, of])),
  }));
  const measure = async () => {
    const samples = parse(await call("GET", "/metrics"));
    const sum = (metric, fits) => samples.filter((one) => one.metric === metric && fits(one.labels)).reduce((total, one) => total + one.value, 0);
    // What this part of the page asks for itself does not count.
    const asked = (labels) => labels.route?.startsWith("/v1/collections") && !labels.route.endsWith("/stats");
    const now = { time: performance.now(), requests: sum("lookalike_requests_total", asked), buckets: {} };
    samples.filter((one) => one.metric === "lookalike_request_duration_seconds_bucket" && asked(one.labels))
      .forEach((one) => { now.buckets[one.labels.le] = (now.buckets[one.labels.le] ?? 0) + one.value; });
    const own = (labels) => labels.collection === name();
    const show = { documents: sum("lookalike_documents", own), disk: sum("lookalike_disk_bytes", own) };
    if (last) {
      show.rate = (now.requests - last.requests) / ((now.time - last.time) / 1000);
      const bounds = Object.keys(now.buckets).map((le) => [le === "+Inf" ? Infinity : Number(le), now.buckets[le] - (last.buckets[le] ?? 0)]).sort((a, b) => a[0] - b[0]);
      const all = bounds.at(-1)?.[1] ?? 0;
      const at = (share) => { const bound = bounds.find(([, below]) => below >= share * all)?.[0]; return Number.isFinite(bound) ? bound * 1000 : 0; };
      if (all > 0) { show.median = at(0.5); show.slow = at(0.99); }
    }
    last = now;
    const titles = [["documents", "documents", count], ["rate", "requests per second", (rate) => rate.toFixed(1)], ["median", "ms: half of the requests took at most this", (ms) => ms.toFixed(1)],
      ["slow", "ms: 99 of 100 requests took at most this", (ms) => ms.toFixed(1)], ["disk", "on disk", bytes]];
    // Without the sizes of buckets the other charts are drawn all the same, and then the reason is said.
    let problem;
    const { buckets } = name() ? await call("GET", `${base()}/stats`).catch((error) => { problem = error; return {}; }) : {};
    const charts = titles.map(([key, title, written]) => {
      const values = (history[key] ??= []);
      if (show[key] != null) values.push(show[key]);
      if (values.length > 90) values.shift();
      return make("div", { className: "chart" }, make("strong", {}, values.length ? written(values.at(-1)) : "–"), make("span", {}, title), spark(values, title));
    });
    if (buckets) charts.push(sizes(buckets));
    fill($("charts"), charts);
    if (problem) throw problem;
  };
  const sizes = ({ looked_at, largest, cut, counts }) => {
    const title = `documents in the largest of ${count(looked_at)} buckets; how many have 1, 2, up to 4, up to 8, …`;
    const most = Math.max(...counts, 1), width = 300 / Math.max(counts.length, 4);
    return make("div", { className: "chart" }, make("strong", {}, `${cut ? "at least " : ""}${count(largest)}`), make("span", {}, title),
      svg("svg", { class: "plot", viewBox: "0 0 300 72", preserveAspectRatio: "none", role: "img", "aria-label": `${title}: ${counts.join(", ")}` },
        svg("path", { class: "axis", d: "M0 70H300" }), counts.map((some, at) => {
          // A bucket among a million others must be seen too.
          const height = some ? 2 + 60 * Math.log1p(some) / Math.log1p(most) : 0;
          return svg("rect", { class: "area", x: at * width + 2, y: 70 - height, width: width - 4, height });
        })));
  };
  const spark = (values, title) => {
    const most = Math.max(...values, 1e-9), at = (value, index) => `${(index * 300) / Math.max(values.length - 1, 1)} ${70 - (62 * value) / most}`;
    const path = values.map((value, index) => `${index ? "L" : "M"}${at(value, index)}`).join("");
    return svg("svg", { class: "plot", viewBox: "0 0 300 72", preserveAspectRatio: "none", role: "img", "aria-label": `${title}, over time` },
      svg("path", { class: "axis", d: "M0 70H300" }), values.length > 1 ? svg("path", { class: "area", d: `${path}L300 70L0 70Z` }) : null, values.length > 1 ? svg("path", { class: "curve", d: path }) : null);
  };
  const watch = () => {
    clearTimeout(timer);
    if ($("numbers").hidden || document.hidden) return;
    attempt(measure)().finally(() => { timer = setTimeout(watch, 2000); });
  };

  // The S-curve.
  const drawCurve = () => {
    const value = (id) => { const number = Number($(`curve-${id}`).value); $(`curve-${id}-value`).textContent = id === "documents" ? count(10 ** number) : String(number); return number; };
    const threshold = value("threshold"), b = value("bands"), r = value("rows"), documents = 10 ** value("documents"), unrelated = value("unrelated");
    const chance = (s) => 1 - (1 - s ** r) ** b;
    const x = (s) => 44 + 580 * s, y = (p) => 306 - 252 * p;
    const points = (from, to) => Array.from({ length: 101 }, (_, at) => from + ((to - from) * at) / 100).map((s) => `${x(s).toFixed(2)} ${y(chance(s)).toFixed(2)}`).join("L");
    const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1];
    const text = (at, of, className) => svg("text", { x: at[0], y: at[1], class: className }, of);
    fill($("curve-plot"), svg("svg", { class: "plot", viewBox: "0 0 640 352", role: "img", "aria-label": `S-curve of ${b} bands of ${r} rows: ${percent(chance(threshold))} at the threshold ${threshold}` },
      ticks.flatMap((tick) => [svg("path", { class: "rule", d: `M44 ${y(tick)}H624` }), text([36, y(tick) + 4], tick, "end small muted"), text([x(tick), 324], tick, "middle small muted")]),
      text([334, 346], "similarity", "middle small muted"), text([44, 36], "chance of being found", "small muted"),
      svg("path", { class: "false-positive", d: `M${x(0)} ${y(0)}L${points(0, threshold)}L${x(threshold)} ${y(0)}Z` }),
      svg("path", { class: "false-negative", d: `M${x(threshold)} ${y(1)}L${points(threshold, 1)}L${x(1)} ${y(1)}Z` }),
      svg("path", { class: "curve", d: `M${points(0, 1)}` }), svg("path", { class: "threshold", d: `M${x(threshold)} 54V306` })));
    // 22 bytes per band key on disk and 12 bits of filter in memory, as the index needs them.
    fill($("curve-facts"), facts([["recall at the threshold", percent(chance(threshold))], ["half is found at", ((1 - 0.5 ** (1 / b)) ** (1 / r)).toFixed(3)],
      ["hashes that are needed", count(b * r)], ["candidates of a query, unrelated", (documents * chance(unrelated)).toLocaleString("en", { maximumSignificantDigits: 3 })],
      ["on disk, about", bytes(documents * (2 * b * r + 22 * b))], ["filters in memory, about", bytes(documents * 1.5 * b)]]));
  };
  const ownCurve = async () => {
    const plan = /^(\d+) bands of (\d+) rows/.exec(chosen()?.plan ?? "");
    if (!plan) throw new Error("this collection has no bands");
    [["threshold", chosen().config.threshold], ["bands", plan[1]], ["rows", plan[2]]].forEach(([id, value]) => { $(`curve-${id}`).value = value; });
    drawCurve();
  };

  // Parts of the page.
  const parts = ["ask", "browse", "collections", "numbers", "curve"];
  const show = () => {
    const part = parts.find((id) => `#${id}` === location.hash) ?? "ask";
    parts.forEach((id) => { $(id).hidden = id !== part; });
    document.querySelectorAll("nav a").forEach((link) => (link.getAttribute("href") === `#${part}` ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current")));
    if (part === "browse" && name() && !$("documents").hasChildNodes()) attempt(() => list(0))();
    if (part === "collections") attempt(() => loadCollections())();
    watch();
  };
  addEventListener("hashchange", () => { show(); scrollTo(0, 0); });
  document.addEventListener("visibilitychange", watch);
  $("ask-form").addEventListener("submit", attempt(look));
  $("text").addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) attempt(look)(event); });
  $("add").addEventListener("click", attempt(() => add()));
  $("file").addEventListener("change", attempt(() => takeFile($("file").files[0])));
  $("text").addEventListener("dragover", (event) => { event.preventDefault(); $("text").classList.add("over"); });
  $("text").addEventListener("dragleave", () => $("text").classList.remove("over"));
  $("text").addEventListener("drop", (event) => {
    $("text").classList.remove("over");
    if (event.dataTransfer.files.length) attempt(() => takeFile(event.dataTransfer.files[0]))(event);
  });
  $("browse-form").addEventListener("submit", attempt(find));
  $("browse-all").addEventListener("click", attempt(() => list(0)));
  $("more").addEventListener("click", attempt(() => list(after)));
  $("create-form").addEventListener("submit", attempt(create));
  $("collection").addEventListener("change", () => { showChosen(); fill($("documents")); fill($("result")); Object.keys(history).forEach((key) => delete history[key]); show(); });
  $("token-form").addEventListener("submit", attempt(async () => { token = $("token").value; $("token").value = ""; $("token-form").hidden = true; await loadCollections(); show(); }));
  $("curve").addEventListener("input", drawCurve);
  $("curve-own").addEventListener("click", attempt(ownCurve));
  drawCurve();
  attempt(loadCollections)().then(show);
})();
