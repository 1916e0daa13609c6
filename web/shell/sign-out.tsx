import { sendHeldRejections } from '../approvals/decisions.ts'
import { leaveDevice } from '../notifications/device.ts'
import { Button } from '../parts/button.tsx'
import { signOut } from '../connection/session.ts'

/** The way out: on every page of the desk, and under More on the phone. */
export const SignOut = ({ className }: { className?: string }) => (
  <Button
    // Both take the token of the session before it ends.
    onClick={() => void signOut([sendHeldRejections(), leaveDevice()])}
    {...(className !== undefined && { className })}
  >
    Sign out
  </Button>
)
