/**
 * The address of a hit in the site.
 *
 * @param site the site's root, absolute, ending in a slash.
 * @param url relative to it, with `#anchor` where there is one.
 */
export function addressIn(site: string, url: string): string {
  const address = new URL(url, site);
  // Without a server no one looks for the index of a folder.
  if (address.protocol === "file:" && address.pathname.endsWith("/")) address.pathname += "index.html";
  return address.href;
}
