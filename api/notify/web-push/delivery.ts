const HOST = 'fcm.googleapis.com'
const DOMAINS: readonly string[] = ['.push.services.mozilla.com', '.push.apple.com', '.notify.windows.com']

/** Without a list users could have us send requests anywhere. */
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

/** RFC 8292, section 2.1: our HTTPS address, else the mail sender's. */
export function pushSubject(settings: { PUBLIC_URL?: string | undefined; MAIL_FROM: string }): string {
  if (settings.PUBLIC_URL?.startsWith('https:')) return settings.PUBLIC_URL
  const [, address = settings.MAIL_FROM] = /<([^<>]+)>/.exec(settings.MAIL_FROM) ?? []
  return `mailto:${address.trim()}`
}

/** VAPID keys (RFC 8292), in base64url. */
interface PushKeyPair {
  publicKey: string
  privateKey: string
}

interface PushKeys {
  current: string
  pairOf(id: string): PushKeyPair | null
}

export interface PushDependencies {
  keys: PushKeys
  isPushService: IsPushService
  /** https: or mailto:, for operators. */
  subject: string
}
