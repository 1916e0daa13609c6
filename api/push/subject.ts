/**
 * Where those who run a push service reach the operator (RFC 8292, section 2.1): the service's own address where it has
 * one by HTTPS, and the sender of its messages otherwise.
 */
export function pushSubject(settings: { PUBLIC_URL?: string | undefined; MAIL_FROM: string }): string {
  if (settings.PUBLIC_URL?.startsWith('https:')) return settings.PUBLIC_URL
  const [, address = settings.MAIL_FROM] = /<([^<>]+)>/.exec(settings.MAIL_FROM) ?? []
  return `mailto:${address.trim()}`
}
