import { HASHED_FILES, NOT_OF_THE_APP } from '#domain/common/host-name.ts'

/**
 * How a request is answered:
 * - `page`: by the service, and without it by the page as it was kept;
 * - `hashed`: by what was kept, because a file of that name is never another one;
 * - `file`: by the service, and without it by what was kept;
 * - `network`: by the service alone, as if there were no worker. What the API answers is never kept.
 */
type Way = 'page' | 'hashed' | 'file' | 'network'

/** Notifies by which way an address of this origin is answered. @param kept the files of the build, by their paths */
export function wayOf(path: string, isOpened: boolean, kept: ReadonlySet<string>): Way {
  if (NOT_OF_THE_APP.some((own) => path === own || path.startsWith(`${own}/`))) return 'network'
  // A file that is opened by itself is no page of the app.
  if (kept.has(path)) return path.startsWith(HASHED_FILES) ? 'hashed' : 'file'
  if (path.startsWith(HASHED_FILES)) return 'hashed'
  return isOpened ? 'page' : 'network'
}
