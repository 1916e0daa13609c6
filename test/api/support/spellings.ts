const upper = (text: string): string => text.toUpperCase()
const encoded = (text: string): string =>
  text.replaceAll(/./g, (letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`)

/** Changes to a part of a path that servers, proxies and routers were seen to take for the same part. */
const OF_A_PART: ((part: string) => string)[] = [
  upper,
  (part) => upper(part.slice(0, 1)) + part.slice(1),
  (part) => part.slice(0, -1) + upper(part.slice(-1)),
  encoded,
  (part) => encoded(part.slice(0, 1)) + part.slice(1),
  (part) => `%25${encoded(part.slice(0, 1)).slice(1)}${part.slice(1)}`,
  // The Kelvin sign and the long s are k and s where case is ignored after Unicode.
  (part) => part.replace('k', '%E2%84%AA').replace('s', '%C5%BF'),
  (part) => `/${part}`,
  (part) => `./${part}`,
  (part) => `x/../${part}`,
  (part) => `%2e/${part}`,
  (part) => `x/%2e%2e/${part}`,
  (part) => `..;/${part}`,
  (part) => `${part};v=1`,
  (part) => `${part}%00`,
  (part) => `${part}%20`,
  (part) => `${part}.`,
  (part) => `${part}.json`,
  (part) => `${part}%2f`,
  (part) => `\\${part}`,
]

const OF_THE_WHOLE: ((path: string) => string)[] = [
  upper,
  (path) => `${path}//`,
  (path) => `${path}/.`,
  (path) => `${path}/x/..`,
  (path) => path.replaceAll('/', '\\'),
  (path) => path.replace(/^\/(.+)\//, '/$1%2f'),
]

/**
 * Addresses that are none of a route's, but could be taken for it by something that reads them loosely: each written
 * out part of the path changed by itself, and the path as a whole. As they go over the wire; an HTTP client that
 * tidies addresses up would undo them.
 *
 * @param template path of a route, such as `/api/v1/orders/:orderId`
 * @param fill stands for every parameter
 */
export function otherSpellings(template: string, fill: string): string[] {
  const { parts, path, exact } = partsOf(template, fill)
  const meant = new Set(slashSpellings(template, fill))
  const found = OF_THE_WHOLE.map((change) => change(exact))
  for (const [index, part] of parts.entries()) {
    if (part.startsWith(':') || part === '') continue
    for (const change of OF_A_PART) found.push(path(parts.with(index, change(part))))
  }
  return [...new Set(found)].filter(
    (spelling) => spelling !== exact && !/^\/*$/.test(spelling) && !meant.has(spelling),
  )
}

/** Addresses with a slash too much, which are those of the route as well: see `api/guards/request-head.ts`. */
export function slashSpellings(template: string, fill: string): string[] {
  const { parts, path, exact } = partsOf(template, fill)
  // Within /api/v1/ and before it; behind the resource an empty id could stand.
  const places = template.startsWith('/api/v1/') ? [0, 1, 2] : [0]
  return [`${exact}/`, ...places.map((place) => path(parts.with(place, `/${parts[place]}`)))].filter(
    (spelling) => spelling !== '//',
  )
}

function partsOf(template: string, fill: string) {
  const parts = template.split('/').slice(1)
  const path = (changed: readonly string[]): string =>
    `/${changed.map((part) => (part.startsWith(':') ? fill : part)).join('/')}`
  return { parts, path, exact: path(parts) }
}
