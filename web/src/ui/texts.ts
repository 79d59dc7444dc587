/** Every text of the interface. */

/** Those of the loader, which must stay small. */
export const loaderTexts = {
  search: "Search",
  failed: "Search could not be loaded.",
};
