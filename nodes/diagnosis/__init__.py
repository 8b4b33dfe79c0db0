"""Why a robot will not move: what ``arena-trees doctor`` looks at, and what it concludes."""
