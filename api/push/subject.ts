/** RFC 8292, section 2.1: our own HTTPS address, else the sender of mail. */
export function pushSubject(settings: { PUBLIC_URL?: string | undefined; MAIL_FROM: string }): string {
  if (settings.PUBLIC_URL?.startsWith('https:')) return settings.PUBLIC_URL
  const [, address = settings.MAIL_FROM] = /<([^<>]+)>/.exec(settings.MAIL_FROM) ?? []
  return `mailto:${address.trim()}`
}
