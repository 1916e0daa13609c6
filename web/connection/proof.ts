import { createStore } from './store.ts'

/** A question to the person to prove again who they are; null while none is open. */
interface ProofRequest {
  /** Whether a password is not enough. */
  bySecondStep: boolean
  /** @param isProven whether it was; false when the person gave up */
  end(isProven: boolean): void
}

export const proof = createStore<ProofRequest | null>(null)
let open: Promise<boolean> | undefined

/** Asks once, however many requests need it, and resolves with whether it was proven. */
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
