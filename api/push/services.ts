const HOST = 'fcm.googleapis.com'
const DOMAINS: readonly string[] = ['.push.services.mozilla.com', '.push.apple.com', '.notify.windows.com']

/** Browsers name the endpoint: without a list a user could have us send requests anywhere. */
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
