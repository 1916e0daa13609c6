import type { Broker, FillListing } from './port.ts'

export async function* fillListings(
  broker: Pick<Broker, 'listFills'>,
  since: string,
): AsyncGenerator<FillListing> {
  for (let after = since; ;) {
    const listing = await broker.listFills(after)
    yield listing
    const { until, hasMore } = listing
    if (!hasMore || until === null || Date.parse(until) <= Date.parse(after)) return
    after = until
  }
}
