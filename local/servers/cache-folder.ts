import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where programs that were downloaded or built are kept for the next start, for every copy of the project. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return join(environment['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'durable-trader')
}
