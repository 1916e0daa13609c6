import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { requireOk } from '#local/start/external-parts.ts'
import { eventually } from './eventually.ts'

/** Where a paper venue answers, what it goes on with, and the keys of its account and of its control API. */
export interface VenueSettings {
  url: string
  /** File of its ledger. */
  ledger: string
  keyId: string
  secretKey: string
  controlSecret: string
  /** Further settings, by the names of their variables. */
  settings?: Record<string, string>
}

/** A paper venue as a process of its own: a broker that stays while the service and its stores are lost. */
export class VenueProcess {
  readonly #child: ChildProcess

  /** Starts it, and resolves when it answers. */
  static async start({
    url,
    ledger,
    keyId,
    secretKey,
    controlSecret,
    settings,
  }: VenueSettings): Promise<VenueProcess> {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'venue/main.ts'], {
      env: {
        ...process.env,
        VENUE_PORT: new URL(url).port,
        VENUE_DATA: ledger,
        VENUE_KEY_ID: keyId,
        VENUE_SECRET_KEY: secretKey,
        VENUE_CONTROL_SECRET: controlSecret,
        ...settings,
      },
      stdio: 'ignore',
    })
    const venue = new VenueProcess(child)
    try {
      await eventually(() => requireOk(`${url}/venue/health`), { within: 20_000 })
    } catch (error) {
      await venue.stop()
      throw error
    }
    return venue
  }

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.kill()
    await once(this.#child, 'exit')
  }
}
