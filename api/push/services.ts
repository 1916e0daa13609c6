/** The host of Chrome and its relatives, the domains of Firefox, Safari and Edge. */
const HOST = 'fcm.googleapis.com'
const DOMAINS: readonly string[] = ['.push.services.mozilla.com', '.push.apple.com', '.notify.windows.com']

/** A browser names the endpoint: without this list a user could have us send requests to any address.
 * `others`: origins that the operator trusts. */
export type IsPushService = (endpoint: string) => boolean

export function pushServices(others: readonly string[]): IsPushService {
  return (endpoint) => {
    if (!URL.canParse(endpoint)) return false
    const { protocol, hostname, port, origin, username, password } = new URL(endpoint)
    if (username !== '' || password !== '') return false
    if (others.includes(origin)) return true
    if (protocol !== 'https:' || port !== '') return false
    return hostname === HOST || DOMAINS.some((domain) => hostname.endsWith(domain))
  }
}
