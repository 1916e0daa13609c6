import { setTimeout as sleep } from 'node:timers/promises'
import { runStatement } from '../servers/postgres.ts'
import { StartupError } from '../processes/startup-error.ts'
import { requireTemporal } from '../servers/temporal-server.ts'

/** Throws {@link StartupError} unless PostgreSQL answers at DATABASE_URL. */
export async function requireExternalDatabase(url: string): Promise<void> {
  const { host, username, pathname } = new URL(url)
  try {
    await runStatement(url, 'select 1')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const causes: Record<string, string> = {
      ECONNREFUSED: `nothing listens at ${host}`,
      ENOTFOUND: `there is no host of the name in ${host}`,
      EAI_AGAIN: `there is no host of the name in ${host}`,
      // PostgreSQL's codes: invalid password, invalid authorization, no such database.
      '28P01': `PostgreSQL at ${host} refuses the password of user ${username}`,
      '28000': `PostgreSQL at ${host} does not let user ${username} in`,
      '3D000': `PostgreSQL at ${host} has no database ${pathname.slice(1)}; create it first`,
    }
    throw new StartupError(
      `DATABASE_URL cannot be used: ${causes[code] ?? (error as Error).message}.\n` +
        'Put it right, or leave it out to have a PostgreSQL started for you.',
      { cause: error },
    )
  }
}

/** Throws a {@link StartupError} unless a Temporal server with the namespace answers at TEMPORAL_ADDRESS. */
export async function requireExternalTemporal(
  settings: Parameters<typeof requireTemporal>[0],
): Promise<void> {
  try {
    await requireTemporal(settings)
  } catch (error) {
    throw new StartupError(
      `TEMPORAL_ADDRESS cannot be used: ${settings.TEMPORAL_ADDRESS} with namespace ${settings.TEMPORAL_NAMESPACE} ` +
        `does not answer as a Temporal server (${(error as Error).message}).\n` +
        'Check it together with TEMPORAL_NAMESPACE, TEMPORAL_TLS and TEMPORAL_API_KEY, or leave it out to have a server started for you.',
      { cause: error },
    )
  }
}

/** Throws a {@link StartupError} unless a paper venue answers at VENUE_URL. */
export async function requireExternalVenue(url: string): Promise<void> {
  try {
    await requireOk(`${url}/venue/health`)
  } catch (error) {
    throw new StartupError(
      `VENUE_URL cannot be used: ${url} does not answer as a paper venue (${(error as Error).message}).\n` +
        'Put it right, or leave it out to have a venue started for you.',
      { cause: error },
    )
  }
}

/** Throws with the answer unless the address answers 2xx within two seconds. */
export const requireOk = (url: string): Promise<void> => requireAnswer(url, () => false)

/** Throws with the answer unless /readyz sees every part. Overdue work does not count: the parts are there to do it. */
export const requireParts = (url: string): Promise<void> => requireAnswer(url, seesEveryPart)

/** @param isEnough whether the body of an answer other than 2xx suffices */
async function requireAnswer(url: string, isEnough: (body: string) => boolean): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) })
  const body = await response.text()
  if (!response.ok && !isEnough(body))
    throw new Error(`${url} answers ${response.status}: ${body.slice(0, 500)}`)
}

function seesEveryPart(body: string): boolean {
  const { parts = null } = JSON.parse(body) as { parts?: Record<string, 'up' | 'down'> | null }
  return parts !== null && !Object.values(parts).includes('down')
}

/** Waits for all parts in /readyz. Throws {@link StartupError} with its last answer after the timeout. */
export async function waitForParts(url: string, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    try {
      return await requireParts(url)
    } catch (error) {
      if (Date.now() > deadline)
        throw new StartupError(`The parts do not work together: ${(error as Error).message}`, {
          cause: error,
        })
    }
    await sleep(100)
  }
}
