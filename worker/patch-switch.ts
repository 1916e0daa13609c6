import type { Logger } from 'pino'

/** Milliseconds until the ledger is asked again about a patch that was off. */
const ASK_AGAIN_AFTER = 5_000

/**
 * Whether workflows may take a way that their code brings newly (`patched()`): once this build is promoted, and the ledger has noted that
 * it uses the patch. Until the note is there a workflow takes the old way, which it keeps to its end.
 *
 * If a workflow took the new way before that was noted, and the build was taken back, the build before it could not
 * follow that workflow's history.
 */
export class PatchSwitch {
  readonly #states = new Map<string, 'on' | { askAgainAt: number }>()
  readonly #use: (patchId: string) => Promise<boolean>
  readonly #log: Logger

  /** @param use notes that this build uses a patch; false when the build is not promoted */
  constructor(use: (patchId: string) => Promise<boolean>, log: Logger) {
    this.#use = use
    this.#log = log
  }

  /** Answers at once, by what is known; an option of the SDK's worker. */
  readonly isOn = ({ patchId }: { patchId: string }): boolean => {
    const state = this.#states.get(patchId)
    if (state === 'on') return true
    if (state === undefined || performance.now() >= state.askAgainAt) void this.#ask(patchId)
    return false
  }

  async #ask(patchId: string): Promise<void> {
    this.#states.set(patchId, { askAgainAt: performance.now() + ASK_AGAIN_AFTER })
    try {
      if (!(await this.#use(patchId))) return
      this.#states.set(patchId, 'on')
      this.#log.info({ patchId }, 'workflows take the new way from now on')
    } catch (error) {
      this.#log.warn(
        { err: error, patchId },
        'it cannot be told whether workflows may take the new way; they take the old one',
      )
    }
  }
}
