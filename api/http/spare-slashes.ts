/** The part of an address before the resource; base addresses that end in a slash double those within. */
const BASE = /^\/+(?:api\/+v1(?:\/+|$))?/

/**
 * Makes of an address with a slash too much the one that is meant, before anything looks at it: guards, limits and routes see
 * the same address. A slash is too much before and within `/api/v1/`, and at the end. It is kept where it may have an empty
 * id before or behind it, which would make a withdrawal or halt of one into that of everything: `PUT /settings/halt/` beside
 * `PUT /settings/halt/:accountId`.
 *
 * @param routes as the access policy names them
 */
export function spareSlashes(routes: readonly string[]): (method: string, path: string) => string {
  const withId = routes.flatMap((route) => {
    const [method, address] = route.split(' ') as [string, string]
    const before = /^(.+)\/:[^/]+$/.exec(address)?.[1]
    return before === undefined
      ? []
      : [{ method, before: new RegExp(`^${before.replaceAll(/:[^/]+/g, '[^/]+')}$`) }]
  })
  return (method, path) => {
    const address = path.replace(BASE, (base) => (base.includes('api') ? '/api/v1/' : '/'))
    if (address === '/' || !address.endsWith('/')) return address
    const shorter = address.slice(0, -1)
    const mayLackId = withId.some(
      (route) => route.method === (method === 'HEAD' ? 'GET' : method) && route.before.test(shorter),
    )
    return mayLackId ? address : shorter
  }
}
