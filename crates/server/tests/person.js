"use strict";
// Does what a person would do on the page, and writes what went wrong, or "all done", into it.
(async () => {
  const wrong = [];
  addEventListener("error", (event) => wrong.push(event.message));
  addEventListener("unhandledrejection", (event) => wrong.push(String(event.reason)));
  addEventListener("securitypolicyviolation", (event) => wrong.push(`policy: ${event.blockedURI}`));
  window.pwned = 0;
  const $ = (id) => document.getElementById(id);
  const until = async (what, condition) => {
    for (let at = 0; at < 200; at++) {
      if (condition()) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`waited in vain: ${what}; message: ${$("message").textContent}`);
  };
  const is = (what, condition) => { if (!condition) throw new Error(`not so: ${what}`); };
  const go = async (part) => { document.querySelector(`nav a[href="#${part}"]`).click(); await until(part, () => !$(part).hidden); };
  const text = `<img src=x onerror="pwned=1"><script>pwned=1</script> A cat sat on the mat in the hall of the old house and watched the rain
    come down all day long. "&lt;" 😀 <a href="javascript:pwned=1">click</a> and then it slept until the morning came.`;
  const id = "<b>bold</b> a/b?c#d%20";
  try {
    await until("the collection", () => $("collection").value === "seen");
    // Add, and look for it by keyboard.
    $("text").value = text;
    $("new-id").value = id;
    $("add").click();
    await until("added", () => $("message").textContent === `Added as ${id}.`);
    $("text").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true }));
    await until("marks", () => document.querySelector("#result .pair a.mark"));
    is("its id", document.querySelector("#result .name").textContent === id);
    is("its similarity", document.querySelector("#result .badge").textContent === "1.000");
    const bodies = [...document.querySelectorAll("#result .body")];
    is("two whole texts", bodies.length === 2 && bodies.every((body) => body.textContent === text));
    document.querySelector("#result a.mark").click();
    is("both marked", document.querySelectorAll("#result a.mark.on").length >= 2);
    // Not new a second time, and an id that is there already.
    $("new-id").value = "second";
    $("add").click();
    await until("not added", () => $("result").textContent.includes("Not added"));
    [...$("result").querySelectorAll("button")].at(-1).click();
    await until("added all the same", () => $("message").textContent === "Added as second.");
    $("new-id").value = "second";
    $("text").value = "something else that nobody has said before in so many words";
    $("add").click();
    await until("a conflict", () => $("message").className === "wrong");
    // Browse, show, find, remove.
    await go("browse");
    await until("rows", () => document.querySelectorAll(".documents tbody tr").length === 4);
    is("the id as text", document.querySelector(".documents td").textContent === id);
    document.querySelector(".documents button").click();
    await until("the text", () => document.querySelector(".whole")?.textContent === text);
    $("browse-id").value = id;
    $("browse-form").requestSubmit();
    await until("found", () => document.querySelectorAll(".documents tbody tr").length === 2);
    const remove = [...document.querySelectorAll(".documents button")].at(-1);
    remove.click();
    await until("asked", () => remove.textContent === "Really?");
    remove.click();
    await until("removed", () => $("message").textContent === `${id} is removed.`);
    // Collections.
    await go("collections");
    $("create-name").value = "mails";
    $("create-form").requestSubmit();
    await until("created", () => $("message").textContent === "The collection mails is there.");
    is("two cards", document.querySelectorAll(".card").length === 2 && $("collection").value === "mails");
    const remove_card = document.querySelector(".card button");
    remove_card.click();
    await until("asked", () => remove_card.textContent === "Really?");
    remove_card.click();
    await until("one card", () => document.querySelectorAll(".card").length === 1);
    // Numbers and the curve.
    await go("numbers");
    await until("charts", () => document.querySelectorAll(".chart").length === 6);
    await until("sizes of buckets", () => document.querySelector(".chart rect"));
    await until("lines", () => document.querySelector(".chart path.curve"));
    await go("curve");
    $("curve-bands").value = 42;
    $("curve-bands").dispatchEvent(new Event("input", { bubbles: true }));
    is("the number of bands", $("curve-bands-value").textContent === "42");
    is("recall", $("curve-facts").textContent.includes("recall"));
    is("a curve", document.querySelector("#curve-plot path.curve"));
    $("curve-own").click();
    await until("its own", () => $("curve-bands-value").textContent !== "42");
    is("nothing ran", window.pwned === 0);
    is("nothing from elsewhere", performance.getEntriesByType("resource").every((one) => one.name.startsWith(location.origin)));
    if (wrong.length) throw new Error(wrong.join("; "));
    document.body.append(Object.assign(document.createElement("p"), { id: "seen", textContent: "all done" }));
  } catch (error) {
    document.body.append(Object.assign(document.createElement("p"), { id: "seen", textContent: `${error.message} ${wrong.join("; ")}` }));
  }
})();
