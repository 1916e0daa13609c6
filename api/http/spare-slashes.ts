/** The part of an address before the resource. */
const BASE = /^\/+(?:api\/+v1(?:\/+|$))?/

/** Removes needless slashes before guards, limits and routes see the address: before and within `/api/v1/`,
 * and at the end. A slash at the end stays where an empty id may follow: `PUT /settings/halt/` must not
 * become `PUT /settings/halt`. */
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
