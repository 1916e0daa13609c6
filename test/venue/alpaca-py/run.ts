import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { codeOfFailure } from '../../support/closing-line.ts'
import { findLastingPort } from '../../support/lasting-port.ts'
import { pythonPrograms } from '../../support/python-packages.ts'
import { VenueProcess } from '../../support/venue-process.ts'

/**
 * Drives two paper venues, whose markets are open and closed, with Alpaca's own client for Python:
 *
 *     npm test -- alpaca-py
 *
 * The last line is "N of N calls". Ends with 0 when every call was answered as expected.
 */
const HERE = import.meta.dirname
const KEYS = { keyId: 'PYTHON-KEY', secretKey: 'the secret key of Python' }
const CONTROL_SECRET = 'the control secret of Python'

async function main(): Promise<number> {
  const programs = await pythonPrograms('alpaca-py', join(HERE, 'requirements.txt'))
  const folder = mkdtempSync(join(tmpdir(), 'durable-trader-alpaca-py-'))
  const venues: VenueProcess[] = []
  const open = async (name: string, settings: Record<string, string>): Promise<string> => {
    const url = `http://127.0.0.1:${await findLastingPort()}`
    const ledger = join(folder, `${name}.sqlite`)
    venues.push(await VenueProcess.start({ url, ledger, ...KEYS, controlSecret: CONTROL_SECRET, settings }))
    return url
  }
  try {
    const client = spawn(join(programs, 'python'), [join(HERE, 'drive.py')], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        OPEN_VENUE: await open('open', { VENUE_HOURS: 'always', VENUE_CLOSE: '23:59' }),
        CLOSED_VENUE: await open('closed', { VENUE_HOURS: 'always', VENUE_CLOSE: '00:01' }),
        KEY_ID: KEYS.keyId,
        SECRET_KEY: KEYS.secretKey,
        CONTROL_SECRET,
      },
    })
    const [code] = (await once(client, 'exit')) as [number | null]
    return code ?? 1
  } finally {
    await Promise.all(venues.map((venue) => venue.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
}

try {
  process.exitCode = await main()
} catch (error) {
  process.exitCode = codeOfFailure(error)
}
