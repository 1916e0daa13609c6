/** What never is an address of the app, whatever a browser opens there; the API has the same list. */
export const NOT_OF_THE_APP = ['/api', '/docs', '/events', '/openapi.json', '/mailbox', '/healthz', '/readyz']

/** Where the build puts files whose names tell their content. */
const HASHED = '/assets/'

/**
 * How a request is answered:
 * - `page`: by the service, and without it by the page as it was kept;
 * - `hashed`: by what was kept, because a file of that name is never another one;
 * - `file`: by the service, and without it by what was kept;
 * - `network`: by the service alone, as if there were no worker. What the API answers is never kept.
 */
type Way = 'page' | 'hashed' | 'file' | 'network'

/** Tells by which way an address of this origin is answered. @param kept the files of the build, by their paths */
export function wayOf(path: string, isOpened: boolean, kept: ReadonlySet<string>): Way {
  if (NOT_OF_THE_APP.some((own) => path === own || path.startsWith(`${own}/`))) return 'network'
  // A file that is opened by itself is no page of the app.
  if (kept.has(path)) return path.startsWith(HASHED) ? 'hashed' : 'file'
  if (path.startsWith(HASHED)) return 'hashed'
  return isOpened ? 'page' : 'network'
}
