import { sendQueuedRejections } from '../approvals/decisions.ts'
import { leaveDevice } from '../notifications/device.ts'
import { Button } from '../parts/button.tsx'
import { signOut } from '../connection/session.ts'

// Both use the session's token before it ends.
const leave = (): void => void signOut([sendQueuedRejections(), leaveDevice()])

/**
 * Sign-out: on every page of the desk, and under More on the phone.
 *
 * @property isQuiet whether it is small, beside actions of more use
 */
export const SignOut = ({ isQuiet = false }: { isQuiet?: boolean }) =>
  isQuiet ? (
    <button
      type="button"
      onClick={leave}
      className="h-11 self-start rounded-control px-3 text-xs text-muted hover:text-text hover:underline desk:h-7"
    >
      Sign out
    </button>
  ) : (
    <Button onClick={leave}>Sign out</Button>
  )
