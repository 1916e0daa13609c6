const ABSOLUTE = /^https?:\/\/[^/?#\\]+(?<path>.*)$/is

/**
 * The path and query of a request's target, as they are written. Proxies may send the whole address (RFC 9112, section
 * 3.2.2); its host decides nothing here. Null for what is no target: routing, logs and limits would each read it in
 * their own way.
 */
export function pathOfTarget(target: string): string | null {
  if (target.startsWith('/') || target === '*') return target
  const path = ABSOLUTE.exec(target)?.groups?.['path']
  if (path === undefined || !URL.canParse(target)) return null
  return path.startsWith('/') ? path : `/${path}`
}
