import { APP_PAGE } from '#domain/common/host-name.ts'

declare const __BUILD__: { name: string; files: string[] }

const PREFIX = 'app-'
/** Builds whose files are kept: a tab that was opened before may still load a part of its own build. */
const KEPT_BUILDS = 3
/** Milliseconds after which a page that the service does not answer is opened as it was kept. */
const PAGE_PATIENCE_MS = 4_000
/** Answers of a proxy whose service is away. */
const IS_AWAY: ReadonlySet<number> = new Set([502, 503, 504])

const { name, files } = __BUILD__
const OWN = PREFIX + name
export const FILES: ReadonlySet<string> = new Set(files)

/** Keeps every file of this build, so that each page opens without a connection. What a build before had is not loaded again. */
export async function keepFiles(): Promise<void> {
  const cache = await caches.open(OWN)
  await Promise.all(
    files.map(async (path) => {
      const before = path.startsWith('/assets/') ? await keptAnywhere(path) : undefined
      const answer = before ?? (await fetch(path, { cache: 'no-cache', redirect: 'error' }))
      if (!answer.ok) throw new TypeError(`${path} was answered with status ${answer.status}`)
      await cache.put(path, answer)
    }),
  )
}

/** Drops the files of builds that no open tab can be expected to need any more. */
export async function dropOldBuilds(): Promise<void> {
  // In the order in which they were made.
  const builds = (await caches.keys()).filter((each) => each.startsWith(PREFIX) && each !== OWN)
  await Promise.all(builds.slice(0, 1 - KEPT_BUILDS).map((each) => caches.delete(each)))
}

/** The stored answer varies by what was accepted; the file is the same in every form. */
const ANY_FORM = { ignoreVary: true }
const keptAnywhere = (path: string): Promise<Response | undefined> => caches.match(path, ANY_FORM)
const keptHere = async (path: string): Promise<Response | undefined> =>
  (await caches.open(OWN)).match(path, ANY_FORM)

/** A file that is never another one: from whichever build has it, or from the service. */
export const hashedFile = async (request: Request): Promise<Response> =>
  (await keptAnywhere(new URL(request.url).pathname)) ?? fetch(request, { redirect: 'error' })

/** A file whose name does not tell its content: from the service, and without it as this build had it. */
export async function file(request: Request): Promise<Response> {
  try {
    return await fetch(request, { redirect: 'error' })
  } catch (error) {
    const kept = await keptHere(new URL(request.url).pathname)
    if (kept) return kept
    throw error
  }
}

/** The page from the service; where that is away or too slow, the page of this build, which tells of it. */
export async function page(request: Request): Promise<Response> {
  const kept = await keptHere(APP_PAGE)
  if (!kept) return fetch(request)
  let timer: ReturnType<typeof setTimeout> | undefined
  const isSlow = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), PAGE_PATIENCE_MS)
  })
  try {
    const answer = await Promise.race([fetch(request), isSlow])
    return answer === undefined || IS_AWAY.has(answer.status) ? kept : answer
  } catch {
    // No answer came at all.
    return kept
  } finally {
    clearTimeout(timer)
  }
}
