import { APP_PAGE } from '#domain/hook/host-name.ts'

declare const __BUILD__: { name: string; files: string[] }

const PREFIX = 'app-'
/** Number of builds whose files are kept: an older tab may still load a part of its own build. */
const KEPT_BUILDS = 3
/** Milliseconds of waiting for the service before the kept page opens. */
const PAGE_PATIENCE_MS = 4_000
/** Statuses of a proxy whose service is away. */
const IS_AWAY: ReadonlySet<number> = new Set([502, 503, 504])

const { name, files } = __BUILD__
const OWN = PREFIX + name
export const FILES: ReadonlySet<string> = new Set(files)

/** Keeps every file of this build, so that each page opens without a connection. Known files are not loaded again. */
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

/** Deletes the files of builds that no open tab should need. */
export async function dropOldBuilds(): Promise<void> {
  // Cache keys come in the order of their creation.
  const builds = (await caches.keys()).filter((each) => each.startsWith(PREFIX) && each !== OWN)
  await Promise.all(builds.slice(0, 1 - KEPT_BUILDS).map((each) => caches.delete(each)))
}

/** The stored answer has a Vary header; the file is the same in every form. */
const ANY_FORM = { ignoreVary: true }
const keptAnywhere = (path: string): Promise<Response | undefined> => caches.match(path, ANY_FORM)
const keptHere = async (path: string): Promise<Response | undefined> =>
  (await caches.open(OWN)).match(path, ANY_FORM)

/** A file whose name contains its hash: from the cache of any build, or from the service. */
export const hashedFile = async (request: Request): Promise<Response> =>
  (await keptAnywhere(new URL(request.url).pathname)) ?? fetch(request, { redirect: 'error' })

/** A file whose name has no hash: from the service, or this build's copy if the service is away. */
export async function file(request: Request): Promise<Response> {
  try {
    return await fetch(request, { redirect: 'error' })
  } catch (error) {
    const kept = await keptHere(new URL(request.url).pathname)
    if (kept) return kept
    throw error
  }
}

/** The page from the service; the page of this build, which says so, if the service is away or too slow. */
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
    // The service did not answer.
    return kept
  } finally {
    clearTimeout(timer)
  }
}
