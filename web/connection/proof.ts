import { createStore } from './store.ts'

/** Open question for a fresh proof; null without one. */
interface ProofRequest {
  /** Whether a password is not enough. */
  bySecondStep: boolean
  /** @param isProven false when the person gave up */
  end(isProven: boolean): void
}

export const proof = createStore<ProofRequest | null>(null)
let open: Promise<boolean> | undefined

/** Asks once for all requests that need a proof; resolves with whether it was given. */
export function askForProof({ bySecondStep }: Pick<ProofRequest, 'bySecondStep'>): Promise<boolean> {
  open ??= new Promise<boolean>((resolve) => {
    proof.set({
      bySecondStep,
      end(isProven) {
        open = undefined
        proof.set(null)
        resolve(isProven)
      },
    })
  })
  return open
}
