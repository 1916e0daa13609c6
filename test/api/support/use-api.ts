import { createLimits, type Limits } from '#api/access/limits.ts'
import { openCountStore, type CountStore } from '#db/engine/count-store.ts'
import { startApi, type ApiServer } from './api-server.ts'

/** Gives the tests of the enclosing block an API and a database of its own, from before the first of them until after the last. */
export function useApi(settings?: Parameters<typeof startApi>[0]): ApiServer {
  let started: ApiServer | undefined
  before('starts an API', async function () {
    // The first one of a run starts PostgreSQL and migrates the template.
    this.timeout(60_000)
    started = await startApi(settings)
  })
  after('stops the API', async function () {
    this.timeout(60_000)
    await started?.stop()
  })
  return new Proxy({} as ApiServer, { get: (_, name) => Reflect.get(started!, name) as unknown })
}

/** Limits as the service has them, in the database of the API, and what they have counted. */
export function useCounts(): { limits: (databaseUrl: string) => Limits; counts: CountStore } {
  let store: CountStore | undefined
  after('closes the counts', () => store?.end())
  return {
    limits: (databaseUrl) => createLimits((store = openCountStore(databaseUrl))),
    counts: new Proxy({} as CountStore, {
      get(_, name) {
        const value: unknown = Reflect.get(store!, name)
        return typeof value === 'function' && name !== 'constructor' ? value.bind(store) : value
      },
    }),
  }
}
