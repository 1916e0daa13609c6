import { number } from '../words/figures.ts'

const messages = (count: number): string => (count === 1 ? '1 message' : `${number(count)} messages`)

/** What came of a test. */
export function testWords({ sent, failed }: { sent: number; failed: number }): string {
  if (sent + failed === 0) return 'Nothing was sent: no device is in the list.'
  if (failed === 0) return `${messages(sent)} sent. It takes a few seconds.`
  const rest = 'Turn notifications off and on again on a device that stays silent.'
  return sent === 0
    ? `No message could be sent. ${rest}`
    : `${messages(sent)} sent, ${number(failed)} could not be. ${rest}`
}
