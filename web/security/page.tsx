import { PageHead } from '../parts/page-head.tsx'
import { useNow } from '../parts/use-now.ts'
import { LogPanel } from './log-panel.tsx'
import { PasswordPanel } from './password-panel.tsx'
import { SecondStepPanel } from './second-step-panel.tsx'
import { SessionsPanel } from './sessions-panel.tsx'

/** Who may come in as this person: password, second step, sessions, and what was done in their name. */
export function SecurityPage() {
  const now = useNow()
  return (
    <>
      <PageHead name="Security" />
      {/* A list is the last of its column: its rows move nothing when they come. */}
      <div className="grid items-start gap-4 wide:grid-cols-2">
        <div className="grid min-w-0 gap-4">
          <SecondStepPanel />
          <PasswordPanel />
          <SessionsPanel now={now} />
        </div>
        <LogPanel now={now} />
      </div>
    </>
  )
}
