import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DemoCredentials } from '../start/demo.ts'
import { StartupError } from '../processes/startup-error.ts'
import { copyFile, type Content } from './copied-file.ts'

const VENUE_PATIENCE_MS = 30_000

/** The venue copies: only it may open the file. Throws {@link StartupError}. */
export async function copyVenueLedger(
  { venueUrl, venueControlSecret }: Pick<DemoCredentials, 'venueUrl' | 'venueControlSecret'>,
  target: string,
): Promise<Content> {
  const response = await asked(`${venueUrl}/venue/ledger.sqlite`, venueControlSecret)
  if (!response.ok || response.body === null)
    throw new StartupError(
      `The paper venue at ${venueUrl} does not give its ledger: ${response.status} ${await response.text()}`,
    )
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  return copyFile(Readable.fromWeb(response.body), target)
}

async function asked(url: string, secret: string): Promise<Response> {
  const deadline = performance.now() + VENUE_PATIENCE_MS
  for (;;) {
    try {
      return await fetch(url, { headers: { authorization: `Bearer ${secret}` } })
    } catch (error) {
      if (performance.now() > deadline)
        throw new StartupError(`The paper venue does not answer at ${url}; its log says why.`, {
          cause: error,
        })
    }
    await sleep(500)
  }
}
