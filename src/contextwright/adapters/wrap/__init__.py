"""Any agent, with what goes into it brought under a number of tokens.

from contextwright.adapters.wrap import Cooled

cooled = Cooled(agent, threshold=4096)
answer = await cooled.run("What did they decide?", message_history=history)
print(cooled.last)
"""

from contextwright.adapters.wrap.cooled import Cooled, with_context_management
from contextwright.adapters.wrap.cooling_report import Cooling, CoolingChange

__all__ = ["Cooled", "Cooling", "CoolingChange", "with_context_management"]
