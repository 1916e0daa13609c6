import type { WholeHookRequest } from '#client/types.ts'

export const FaultList = ({ faults }: Pick<WholeHookRequest, 'faults'>) => (
  <ul className="grid gap-1">
    {faults.map(({ field, message }, at) => (
      <li key={at} className="wrap-anywhere">
        {message}
        {field !== '' && !message.includes(field) && <span className="text-muted"> ({field})</span>}
      </li>
    ))}
  </ul>
)
