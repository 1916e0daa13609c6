import { startApi, type ApiServer } from './api-server.ts'

/** Gives the tests of the enclosing block an API and a database of its own, from before the first of them until after the last. */
export function useApi(settings?: Parameters<typeof startApi>[0]): ApiServer {
  let started: ApiServer | undefined
  before('starts an API', async function () {
    // The first one of a run starts PostgreSQL and migrates the template.
    this.timeout(60_000)
    started = await startApi(settings)
  })
  after('stops the API', () => started?.stop())
  return new Proxy({} as ApiServer, { get: (_, name) => Reflect.get(started!, name) as unknown })
}
