/** Puts a button beside each address that is there to be copied. */

for (const field of document.querySelectorAll("input.copied")) {
  const copy = document.createElement("button");
  copy.type = "button";
  copy.className = "quiet";
  copy.textContent = "Copy";
  copy.setAttribute("aria-label", `Copy: ${field.getAttribute("aria-label")}`);
  const said = document.createElement("span");
  said.setAttribute("role", "status");
  said.className = "help";
  copy.addEventListener("click", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      said.textContent = "Copied.";
    } catch {
      said.textContent = "This browser does not let pages copy. The address is selected: copy it yourself.";
    }
  });
  field.after(copy, said);
}
