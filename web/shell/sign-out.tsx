import { useState } from 'react'
import { sendHeldRejections } from '../approvals/decisions.ts'
import { leaveDevice } from '../notifications/device.ts'
import { Button } from '../parts/button.tsx'
import { signOut } from '../session/session.ts'

/** The way out: on every page of the desk, and under More on the phone. */
export function SignOut({ className }: { className?: string }) {
  const [isBusy, setBusy] = useState(false)
  const leave = async (): Promise<void> => {
    setBusy(true)
    await sendHeldRejections()
    // What fails here is done again when the session has ended.
    await leaveDevice().catch(() => undefined)
    await signOut()
  }
  return (
    <Button disabled={isBusy} onClick={() => void leave()} {...(className !== undefined && { className })}>
      Sign out
    </Button>
  )
}
