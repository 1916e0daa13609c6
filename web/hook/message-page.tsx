import { getRouteApi } from '@tanstack/react-router'
import { HookFrame } from './frame.tsx'
import { MessagePanel } from './message-panel.tsx'

const route = getRouteApi('/gate/shell/set-up/hooks/$hook/message')

export function MessageRoute() {
  const { hook: id } = route.useParams()
  return (
    <HookFrame id={id}>
      {(hook) => (
        <div className="max-w-180">
          <MessagePanel key={hook.updatedAt} hook={hook} title="The message of the alert" />
        </div>
      )}
    </HookFrame>
  )
}
