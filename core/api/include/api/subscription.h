// An owned registration of a callback. Callbacks run on a thread of the workbench; after the destructor has returned no callback runs.
// Never destroy a subscription from inside its own callback.
#pragma once

namespace lockstep::api {

class Subscription {
public:
    virtual ~Subscription() = default;
};

}  // namespace lockstep::api
