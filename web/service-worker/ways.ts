import { HASHED_FILES, NOT_OF_THE_APP } from '#domain/hook/host-name.ts'

/**
 * Sources of an answer; answers of the API are never kept:
 * - `page`: the service, or the kept page without it;
 * - `hashed`: the cache, because the name contains the content's hash;
 * - `file`: the service, or the cache without it;
 * - `network`: only the service, as without a worker.
 */
type Way = 'page' | 'hashed' | 'file' | 'network'

/**
 * Source that answers an address of this origin.
 *
 * @param kept paths of the build's files
 */
export function wayOf(path: string, isOpened: boolean, kept: ReadonlySet<string>): Way {
  if (NOT_OF_THE_APP.some((own) => path === own || path.startsWith(`${own}/`))) return 'network'
  // A file opened by itself is no page of the app.
  if (kept.has(path)) return path.startsWith(HASHED_FILES) ? 'hashed' : 'file'
  if (path.startsWith(HASHED_FILES)) return 'hashed'
  return isOpened ? 'page' : 'network'
}
