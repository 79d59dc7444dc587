import type { Dialog, Host } from "./host.ts";

window.nearpageDialog = ({ root, client, site }: Host): Dialog => {
  const dialog = document.createElement("dialog");
  const input = document.createElement("input");
  const list = document.createElement("ol");
  dialog.append(input, list);
  root.append(dialog);
  input.oninput = async () => {
    const { hits } = await client.search(input.value, 10);
    list.replaceChildren(
      ...hits.map((hit) => {
        const link = document.createElement("a");
        link.href = new URL(hit.url, site).href;
        link.textContent = hit.title;
        return link;
      }),
    );
  };
  return { open: () => dialog.showModal() };
};
