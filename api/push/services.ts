/** The push service of Chrome and its relatives; and the domains below which those of Firefox, Safari and Edge are. */
const HOST = 'fcm.googleapis.com'
const DOMAINS: readonly string[] = ['.push.services.mozilla.com', '.push.apple.com', '.notify.windows.com']

/**
 * Tells whether an endpoint may be sent to. A browser names it, so that without this list a user could make the service
 * send requests to any address that it reaches.
 *
 * @param others origins of further push services, which the operator trusts
 */
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
