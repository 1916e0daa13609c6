import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { forgetDecisions, sendQueuedRejections } from './approvals/decisions.ts'
import { onNews, startLive } from './connection/live.ts'
import { queries, reportQueries } from './connection/queries.ts'
import { forgetDevice, keepDevice } from './notifications/device.ts'
import { startSounds } from './notifications/player.ts'
import { keysSheet, palette, stopped, stopSheet } from './shell/open.ts'
import { router } from './routes.tsx'
import { proof } from './connection/proof.ts'
import { resumeSession } from './connection/resume.ts'
import { session } from './connection/session.ts'
import { NewVersion } from './shell/new-version.tsx'
import './styles.css'

document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') void sendQueuedRejections()
})
globalThis.addEventListener('pagehide', () => void sendQueuedRejections())

session.subscribe(() => {
  const { is } = session.get()
  // Without an answer, the next opening of the app retries.
  if (is === 'in') void keepDevice().catch(() => undefined)
  if (is !== 'out') return
  // After any end of a session, this device keeps and receives nothing of it.
  void forgetDevice()
  queries.clear()
  forgetDecisions()
  // An open question must not pass to the next person.
  proof.get()?.end(false)
  palette.set(false)
  keysSheet.set(false)
  stopSheet.set(false)
  stopped.set(null)
})

// Before the lists that apply events themselves.
onNews(reportQueries)
void resumeSession().then(startLive)
startSounds()

createRoot(document.querySelector('#app')!).render(
  <CSPProvider disableStyleElements>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
      <NewVersion open={router.history.push} />
    </QueryClientProvider>
  </CSPProvider>,
)
